import { expect, it } from "vitest";
import { greet, type Sandbox } from "./greeting.ts";

const sandbox = {
  baseUrl: "http://127.0.0.1:4600",
  tenant: { id: "ten_1", name: "Demo" },
  keys: { maker: "qt_test_maker" },
  people: [{ principal: "omar", name: "Omar Haddad", roles: ["Approver", "Admin"] }],
  sinkUrl: "http://127.0.0.1:4604/sinks/1",
} as unknown as Sandbox;
const receiving = { sinkId: "sink_1", sinkUrl: sandbox.sinkUrl };

it("prints where the API, its reference page and its document are", () => {
  const lines = greet(
    sandbox,
    { ...receiving, outcome: "A first payment …", way: ["0 ms Draft"] },
    4_200,
  ).split("\n");
  expect(lines[1]).toBe("Quittance is ready after 4.2 s. A first payment …");
  expect(lines).toContain("  docs      http://127.0.0.1:4600/docs");
  expect(lines.find((line) => line.startsWith("  API "))).toContain("http://127.0.0.1:4600/v1/openapi.json");
  expect(lines).toContain("  dashboard http://localhost:4600   sign in as one of:");
  expect(lines).toContain("            omar  Omar Haddad, Approver and Admin");
});
