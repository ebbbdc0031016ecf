import { expect, it } from "vitest";
import { platformConfig, readConfig } from "./config.ts";

const told = {
  DATABASE_URL: "postgres://orders:s3cret@127.0.0.1/quittance",
  NATS_URL: "nats://127.0.0.1:4222",
  NATS_USER: "orders",
  NATS_PASSWORD: "s3cret",
  PORT: "0",
};

it("reads text as what it stands for, and has a default for what need not be said", () => {
  expect(readConfig(platformConfig, told)).toEqual({
    ...told,
    PORT: 0,
    DATABASE_POOL: 10,
    HOST: "127.0.0.1",
    OPERATIONS_HOST: "127.0.0.1",
    LOG_LEVEL: "info",
    PARTITIONS: 1,
  });
});

it("names every fault at once and shows no value", () => {
  const read = () =>
    readConfig(platformConfig, {
      ...told,
      DATABASE_URL: "mysql://root:hunter2@db",
      NATS_PASSWORD: undefined,
      PORT: "70000",
      LOG_LEVEL: "loud",
      PARTITIONS: "many",
    });
  expect(read).toThrow(
    /^the environment does not fit: DATABASE_URL: .*NATS_PASSWORD: .*PORT: .*LOG_LEVEL: .*PARTITIONS: /,
  );
  expect(read).not.toThrow(/hunter2|70000|loud|many/);
});
