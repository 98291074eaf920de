"""What every package stands on: errors, configuration, secrets, devices, messages, discovery."""
