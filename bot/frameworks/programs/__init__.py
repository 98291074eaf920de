"""Programs that train with TRL's trainers: the model, the trainer and the arguments they make."""
