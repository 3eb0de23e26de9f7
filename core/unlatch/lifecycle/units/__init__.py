"""Units of other tools: adopting what their files show, and archiving them."""
