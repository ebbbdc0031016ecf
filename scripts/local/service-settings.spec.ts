import { describe, expect, it } from "vitest";
import { onlyWhatItReads, settingsOf, variablesOf } from "./service-settings.ts";

describe("the settings that make start passes on", () => {
  it("are those that an operator may choose, as the shell has them", () => {
    const shell = {
      API_VERSIONS: "v1,v2",
      DEPRECATIONS: '{"v1":{"since":"2027-01-01","guide":"https://docs.quittance.example/v2"}}',
      RATE_LIMIT_PER_SECOND: "50",
      RATE_LIMIT_BURST: "100",
      WEBHOOK_MAX_ATTEMPTS: "5",
      COMPLETED_ORDERS_LOGGED: "1",
      LOG_LEVEL: "debug",
      BATCH_INTERVAL_MS: "0",
      REQUESTS_UNDER_WAY: "0",
    };
    expect(settingsOf({ ...shell, EDITOR: "vi", API_PORT: "4600" })).toEqual(shell);
  });

  it("are neither secrets nor what the runner chooses, and an empty one counts as absent", () => {
    const shell = {
      DATABASE_URL: "postgres://elsewhere",
      NATS_PASSWORD: "s3cret",
      HOST: "laptop",
      PORT: "1",
      OPERATIONS_PORT: "2",
      ENCRYPTION_KEYS: "k",
      FINGERPRINT_KEY: "k",
      NUMBER_LOOKUP_KEY: "k",
      API_VERSIONS: "",
    };
    expect(settingsOf(shell)).toEqual({});
  });
});

it("a service is given only the variables that its config.ts declares", () => {
  expect(variablesOf("rails")).toContain("ENCRYPTION_KEYS");
  expect(onlyWhatItReads("rails", { PORT: "1", ENCRYPTION_KEYS: "k", NUMBER_LOOKUP_KEY: "l" })).toEqual({
    PORT: "1",
    ENCRYPTION_KEYS: "k",
  });
});
