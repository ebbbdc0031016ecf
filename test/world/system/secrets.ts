import { inject } from "vitest";
import { type Service, services } from "../../../contracts/message.ts";
import { generateSecrets, type SystemSecrets } from "../../../scripts/local/secrets.ts";

/** Roles belong to the Postgres server, so all worlds of a run share their password. */
export function secretsOfRun({ rolePassword } = inject("servers")): SystemSecrets {
  const rolePasswords = Object.fromEntries(services.map((service) => [service, rolePassword])) as Record<
    Service,
    string
  >;
  return { ...generateSecrets(), rolePasswords };
}
