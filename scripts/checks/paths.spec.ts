import { expect, it } from "vitest";
import { checkPaths } from "./paths.ts";
import { show } from "./source.ts";

const tree = [
  { path: "services/orders/creation/create-order.handler.ts", text: "" },
  { path: "services/ledger/store/migrations/0001-books.sql", text: "" },
  { path: "docs/operate/settings.md", text: "" },
];
const found = (text: string, path = "ARCHITECTURE.md") => checkPaths([...tree, { path, text }]).map(show);

it("paths from the root, from services/ and from a service's README are accepted", () => {
  expect(
    found("`services/orders/creation/create-order.handler.ts` `orders/creation/create-order.handler.ts`"),
  ).toEqual([]);
  expect(found("`store/migrations/0001-books.sql`", "services/ledger/README.md")).toEqual([]);
  expect(found("[settings](docs/operate/settings.md#gateway) [orders](services/orders/)")).toEqual([]);
});

it("a path in a table whose file was renamed is refused with its line", () => {
  expect(found("| leg | files |\n| --- | --- |\n| POST | `orders/requests/create-order.ts` |")).toEqual([
    "ARCHITECTURE.md:3: orders/requests/create-order.ts does not exist: name the file that took its place",
  ]);
});

it("a link to a missing file is refused", () => {
  expect(found("[errors](errors.md)", "docs/integrate.md")).toEqual([
    "docs/integrate.md:1: errors.md does not exist: name the file that took its place",
  ]);
});

it("names without a folder, other files and addresses are not paths", () => {
  expect(
    found("`outbox.ts` `.local/sandbox.json` `/v1/payment-orders` [RFC](https://example.com/a.md)"),
  ).toEqual([]);
});
