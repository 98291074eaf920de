"""Tests of bot/evidence."""
