import { describe, expect, it } from "vitest";
import { failureCode, isInfrastructureFault } from "./infrastructure-fault.ts";

const withCode = (code: string) => Object.assign(new Error("failed"), { code });

describe("a fault of the infrastructure", () => {
  it.each([
    ["08006", "the connection failed"],
    ["40001", "a serialization failure"],
    ["40P01", "a deadlock"],
    ["53300", "too many connections"],
    ["25P04", "a transaction that went on for too long"],
    ["28P01", "a password that was just replaced"],
    ["57P01", "an administrator's shutdown"],
    ["57P03", "a server that is starting"],
    ["57014", "a cancelled statement"],
    ["58030", "an I/O error"],
    ["25006", "a server that became read-only"],
    ["55P03", "a lock that could not be had"],
    ["ECONNREFUSED", "nobody listening"],
    ["ECONNRESET", "a connection that broke"],
    ["EPIPE", "a closed socket"],
    ["ETIMEDOUT", "a network time-out"],
  ])("is %s: %s", (code) => {
    expect(isInfrastructureFault(withCode(code))).toBe(true);
  });

  it.each([
    "Connection terminated unexpectedly",
    "Connection terminated due to connection timeout",
    "Client has encountered a connection error and is not queryable",
    "timeout exceeded when trying to connect",
    "Query read timeout",
  ])("is also what the driver says without a code: %s", (message) => {
    expect(isInfrastructureFault(new Error(message))).toBe(true);
  });
});

describe("a fault of the message", () => {
  it.each([
    ["23505", "a unique violation"],
    ["23514", "a check that failed"],
    ["22P02", "text that is no uuid"],
    ["42P01", "a table that is not there"],
    ["P0001", "a trigger that refused"],
    ["OR001", "a submitted order"],
    ["42501", "a right that is missing"],
  ])("is %s: %s", (code) => {
    expect(isInfrastructureFault(withCode(code))).toBe(false);
  });

  it("is any other error, and a thrown value that is not an error", () => {
    expect(isInfrastructureFault(new TypeError("undefined is not a function"))).toBe(false);
    expect(isInfrastructureFault("08006")).toBe(false);
    expect(isInfrastructureFault(undefined)).toBe(false);
  });
});

it("identifies failures by SQLSTATE, else by class", () => {
  expect(failureCode(withCode("23505"))).toBe("23505");
  expect(failureCode(new TypeError("x"))).toBe("TypeError");
  expect(failureCode("thrown text")).toBe("string");
});
