"""What the machine tells of its processes. Imports nothing of ours, and nothing beside Python."""
