-- An email is unique among the people of a tenant, no longer among all of them: an admin learned from the refusal that
-- somebody is known elsewhere, and could take their address. Beside the previous version: it finds one of several
-- people of an email, so the others can't sign in there; nobody signs in as somebody else. The table is small: it is
-- locked for as long as a few thousand emails take to sort.

-- It finds people by their email, too, before anybody knows the tenant.
create unique index person_email_unique_in_tenant
on gateway.person (casefold(email collate pg_unicode_fast), tenant_id);
drop index gateway.person_email_unique;
