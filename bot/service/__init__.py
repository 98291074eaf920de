"""The App: webhooks in, durable jobs, published reports, a small page."""
