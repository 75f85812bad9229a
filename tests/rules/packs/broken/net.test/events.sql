INSERT INTO device_event (kind, value) VALUES ('xid', 79);
