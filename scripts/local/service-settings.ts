/** Which environment variables each service reads, as its config.ts declares them. */
import { type Service, services } from "../../contracts/message.ts";
import { gatewayConfig } from "../../services/api-gateway/config.ts";
import { ledgerConfig } from "../../services/ledger/config.ts";
import { config as ordersConfig } from "../../services/orders/config.ts";
import { encryptionConfig, platformConfig } from "../../services/platform/process/config.ts";
import { railsConfig } from "../../services/rails-simulator/config.ts";
import { webhooksConfig } from "../../services/webhooks/config.ts";

const shapes: Readonly<Record<Service, Readonly<Record<string, unknown>>>> = {
  gateway: gatewayConfig.shape,
  orders: ordersConfig.shape,
  ledger: ledgerConfig.shape,
  rails: railsConfig.shape,
  webhooks: webhooksConfig.shape,
};

/** Every variable that the service reads. */
export function variablesOf(service: Service): readonly string[] {
  return Object.keys(shapes[service]);
}

/** The members of `variables` that the service reads. */
export function onlyWhatItReads(
  service: Service,
  variables: Readonly<Record<string, string>>,
): Record<string, string> {
  const read = new Set(variablesOf(service));
  return Object.fromEntries(Object.entries(variables).filter(([name]) => read.has(name)));
}

/** What an operator may choose for all services at once. */
const settingsOfAll = ["LOG_LEVEL", "BATCH_INTERVAL_MS", "REQUESTS_UNDER_WAY"];

/**
 * What else every service has, and secrets: the local runner chooses them. A shell's HOST or PORT means something else.
 */
const chosenByTheRunner = new Set([
  ...Object.keys(platformConfig.shape),
  ...Object.keys(encryptionConfig.shape),
  "FINGERPRINT_KEY",
  "NUMBER_LOOKUP_KEY",
]);

/** The settings of a service that an operator may choose: all but what a runner must. */
export function operatorSettingsOf(service: Service): readonly string[] {
  return variablesOf(service).filter((name) => settingsOfAll.includes(name) || !chosenByTheRunner.has(name));
}

/** The settings that the environment has, such as API_VERSIONS and LOG_LEVEL. An empty one counts as absent. */
export function settingsOf(environment: NodeJS.ProcessEnv): Record<string, string> {
  const names = new Set(services.flatMap(operatorSettingsOf));
  return Object.fromEntries(
    [...names].flatMap((name) => {
      const value = environment[name];
      return value === undefined || value === "" ? [] : [[name, value]];
    }),
  );
}
