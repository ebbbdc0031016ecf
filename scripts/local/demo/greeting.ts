/** What `make start` prints once the service is ready. */
import { dashboardUrl } from "./dashboard-url.ts";
import type { DemoPerson } from "./demo-people.ts";
import type { FirstPayment } from "./first-payment.ts";
import type { SeededTenant } from "./seed.ts";

/** Saved in .local/sandbox.json. */
export interface Sandbox extends SeededTenant {
  readonly baseUrl: string;
  /** Of a second tenant, whose clock the tour moves. */
  readonly clockKeys: SeededTenant["keys"];
  /** They sign in at the dashboard with a click. */
  readonly people: readonly DemoPerson[];
  readonly sinkUrl: string;
  readonly sinkId: string;
  /** The owner's database URL, for operators' tools. */
  readonly databaseUrl: string;
  readonly natsUrl: string;
  readonly ports: Readonly<Record<string, number>>;
  readonly pids: Readonly<Record<string, number>>;
}

export function greet(sandbox: Sandbox, payment: FirstPayment, tookMs: number): string {
  const curl = [
    `curl -s ${sandbox.baseUrl}/v1/payment-orders \\`,
    `  -H 'X-API-Key: ${sandbox.keys.maker}' -H 'Content-Type: application/json' -H 'Prefer: wait=5' \\`,
    `  -d '{"direction":"Credit","rail":"Rtp","amountCents":1000,"ledgerAccountName":"Operating",`,
    `       "counterpartyName":"Ada Example","counterpartyAccountNumber":"000123456789","counterpartyRoutingNumber":"790001005"}'`,
  ];
  return [
    "",
    `Quittance is ready after ${(tookMs / 1_000).toFixed(1)} s. ${payment.outcome}`,
    "",
    ...payment.way.map((line) => `  ${line}`),
    ...(payment.way.length === 0 ? [] : [""]),
    `  API       ${sandbox.baseUrl}        OpenAPI  ${sandbox.baseUrl}/v1/openapi.json`,
    `  docs      ${sandbox.baseUrl}/docs`,
    `  dashboard ${dashboardUrl(sandbox.baseUrl)}   sign in as one of:`,
    ...sandbox.people.map(
      ({ principal, name, roles }) => `            ${principal.padEnd(6)}${name}, ${roles.join(" and ")}`,
    ),
    `  tenant    ${sandbox.tenant.name} (${sandbox.tenant.id})`,
    ...Object.entries(sandbox.keys).map(([name, key]) => `  ${name.padEnd(10)}${key}`),
    `  sink      ${sandbox.sinkUrl}`,
    "",
    "  Try it:",
    "",
    ...curl.map((line) => `  ${line}`),
    "",
    "  `make tour` in another terminal moves money through all six rails. All of this is in .local/sandbox.json,",
    "  every line of every service in .local/services.log. Ctrl-C stops it.",
    "",
  ].join("\n");
}
