-- Outages end by themselves, and rules of testers name them to nobody else.
create index injection_outage on rails.injection (book_id, until) where status = 'Active' and fault = 'Outage';
