"""From a tensor graph to subgraphs: one subgraph becomes one kernel."""
