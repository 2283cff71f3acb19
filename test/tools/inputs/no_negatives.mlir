// Two negatives are none, and the absolute value does not see one.
pdl.pattern @double_negative : benefit(1) {
  %t = pdl.type
  %x = pdl.operand : %t
  %inner = pdl.operation "snippets.negative" (%x : !pdl.value) -> (%t : !pdl.type)
  %n = pdl.result 0 of %inner
  %outer = pdl.operation "snippets.negative" (%n : !pdl.value) -> (%t : !pdl.type)
  pdl.rewrite %outer {
    pdl.replace %outer with (%x : !pdl.value)
  }
}
pdl.pattern @abs_of_negative : benefit(2) {
  %t = pdl.type
  %x = pdl.operand : %t
  %inner = pdl.operation "snippets.negative" (%x : !pdl.value) -> (%t : !pdl.type)
  %n = pdl.result 0 of %inner
  %outer = pdl.operation "snippets.abs" (%n : !pdl.value) -> (%t : !pdl.type)
  pdl.rewrite %outer {
    %abs = pdl.operation "snippets.abs" (%x : !pdl.value) -> (%t : !pdl.type)
    pdl.replace %outer with %abs
  }
}
