// In kernels: the ports and loops of an op go to the one that takes its place.
pdl.pattern @exp_to_abs : benefit(1) {
  %t = pdl.type
  %ports = pdl.attribute
  %loops = pdl.attribute
  %a = pdl.operand : %t
  %exp = pdl.operation "snippets.exp" (%a : !pdl.value) {"lir.ports" = %ports, "lir.loops" = %loops} -> (%t : !pdl.type)
  pdl.rewrite %exp {
    %abs = pdl.operation "snippets.abs" (%a : !pdl.value) {"lir.ports" = %ports, "lir.loops" = %loops} -> (%t : !pdl.type)
    pdl.replace %exp with %abs
  }
}
