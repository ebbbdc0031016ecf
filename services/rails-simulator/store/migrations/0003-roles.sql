-- What the service's role may do.
grant select, insert, update on rails.instruction to rails;
grant select, insert, update, delete on rails.step to rails;
grant select, insert on rails.bank_movement to rails;
grant select, insert on rails.inbound_transfer to rails;
grant select, insert on rails.bank_statement to rails;
grant select, insert on rails.bank_statement_line to rails;
grant select, insert, update on rails.bank_statement_error to rails;
