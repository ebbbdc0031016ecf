import { expect, it } from "vitest";
import { encryptionConfig, platformConfig, readConfig } from "./config.ts";

const valid = {
  DATABASE_URL: "postgres://orders:s3cret@127.0.0.1/quittance",
  NATS_URL: "nats://127.0.0.1:4222",
  NATS_USER: "orders",
  NATS_PASSWORD: "s3cret",
  PORT: "0",
};

it("parses text, and has a default for every optional variable", () => {
  expect(readConfig(platformConfig, valid)).toEqual({
    ...valid,
    PORT: 0,
    DATABASE_POOL: 10,
    HOST: "127.0.0.1",
    OPERATIONS_HOST: "127.0.0.1",
    LOG_LEVEL: "info",
    PARTITIONS: 1,
    BATCH_INTERVAL_MS: 40,
    REQUESTS_UNDER_WAY: 256,
  });
});

it("takes an empty variable for an absent one, not for 0, which would mean no limit", () => {
  expect(readConfig(platformConfig, { ...valid, REQUESTS_UNDER_WAY: "" }).REQUESTS_UNDER_WAY).toBe(256);
  const nowhere = { ...valid, NATS_URL: "" };
  expect(() => readConfig(platformConfig, nowhere)).toThrow("NATS_URL");
});

it("names every invalid variable at once and shows no value", () => {
  const read = () =>
    readConfig(platformConfig, {
      ...valid,
      DATABASE_URL: "mysql://root:hunter2@db",
      NATS_PASSWORD: undefined,
      PORT: "70000",
      LOG_LEVEL: "loud",
      PARTITIONS: "many",
    });
  expect(read).toThrow(
    /^invalid environment: DATABASE_URL: .*NATS_PASSWORD: .*PORT: .*LOG_LEVEL: .*PARTITIONS: /,
  );
  expect(read).not.toThrow(/hunter2|70000|loud|many/);
});

it("names the new variable when only the old one is set", () => {
  const read = (env: NodeJS.ProcessEnv) => () => readConfig(encryptionConfig, env);
  expect(read({ SEAL_KEYS: "2026:hunter2" })).toThrow(
    "invalid environment: SEAL_KEYS is now called ENCRYPTION_KEYS",
  );
  expect(read({ SEAL_KEYS: "2026:hunter2" })).not.toThrow(/hunter2/);
  expect(read({ SEAL_KEYS: "2026:hunter2", ENCRYPTION_KEYS: "" })).toThrow(/: ENCRYPTION_KEYS: /);
  expect(read({})).toThrow(/: ENCRYPTION_KEYS: /);
});
