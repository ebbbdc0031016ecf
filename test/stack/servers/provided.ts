/** The values that the global set-up passes to test files; read them with vitest's `inject("servers")`. */
import type { Service } from "../../../contracts/message.ts";

export interface TestServers {
  /** Superuser of the one Postgres of this run. */
  postgresAdminUrl: string;
  /** The one nats-server of this run, without credentials. */
  natsUrl: string;
  /** Per NATS user: the services, and the operator who provisions. */
  natsPasswords: Record<Service | "operator", string>;
  /** Every service's database role has this password. */
  rolePassword: string;
}

declare module "vitest" {
  interface ProvidedContext {
    servers: TestServers;
  }
}
