"""The folders of spec-kit: specs/NNN-name with spec.md, plan.md and tasks.md."""
