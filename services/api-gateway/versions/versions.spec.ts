import "reflect-metadata";
import { describe, expect, it } from "vitest";
import { previewOf } from "../document/preview.ts";
import { writeDocument } from "../document/write.ts";
import { inVersion } from "./versions.ts";

interface Media {
  schema: { $ref: string };
  example?: Record<string, unknown>;
  examples?: Record<string, { value: Record<string, unknown> }>;
}
interface Operation {
  requestBody?: { content: Record<string, Media> };
  responses: Record<string, { content: Record<string, Media> }>;
}
interface Document {
  info: { version: string };
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, { post: { requestBody: { content: Record<string, Media> } } }>;
  components: { schemas: Record<string, { properties: Record<string, unknown>; required: string[] }> };
}

const app = await previewOf({ API_VERSIONS: "v1,v2" });
const v1 = writeDocument(app, "v1") as unknown as Document;
const v2 = writeDocument(app, "v2", { translate: inVersion("v2") }) as unknown as Document;

const beneath = (document: Document, version: string) =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method} ${path.replace(`/${version}/`, "/")}`),
  );

describe("two versions in one gateway", () => {
  it("are both served only if the configuration says so", async () => {
    const alone = writeDocument(await previewOf(), "v2") as unknown as Document;
    expect(alone.paths).toEqual({});
  });

  it("have the same operations, each under its own path", () => {
    expect(v1.info.version).toBe("v1");
    expect(v2.info.version).toBe("v2");
    expect(beneath(v2, "v2")).toEqual(beneath(v1, "v1"));
    expect(beneath(v1, "v1")).toContain("post /payment-orders");
  });

  it("leave version 1 unchanged", async () => {
    const alone = writeDocument(await previewOf(), "v1");
    expect(v1).toEqual(alone);
  });

  it("differ in the amount of a payment order, in every operation that takes or shows one", () => {
    const { PaymentOrder, PaymentOrderCreate, Money } = v2.components.schemas;
    expect(PaymentOrder!.properties["amount"]).toEqual({ $ref: "#/components/schemas/Money" });
    expect(PaymentOrderCreate!.required).toContain("amount");
    expect(Money!.required).toEqual(["cents", "currency"]);
    for (const [path, methods] of Object.entries(v2.paths).filter(([each]) =>
      each.startsWith("/v2/payment-orders"),
    )) {
      expect(JSON.stringify(methods), path).not.toContain('"amountCents":');
    }
    for (const schema of [PaymentOrder!, PaymentOrderCreate!]) {
      expect(schema.properties).not.toHaveProperty("amountCents");
      expect(schema.properties).not.toHaveProperty("currency");
    }
    expect(JSON.stringify(v2.webhooks["payment_order.completed"])).toContain(
      '"amount":{"cents":1000,"currency":"USD"}',
    );
  });

  it("share everything else, down to the schema", () => {
    const changed = [
      "Inbox",
      "InboxLedgerProposal",
      "InboxOrder",
      "PaymentOrder",
      "PaymentOrderCreate",
      "PaymentOrderEvent",
      "PaymentOrderPage",
      "PaymentOrderPatch",
      "PaymentOrderPreviewCreate",
    ];
    const names = Object.keys(v1.components.schemas);
    expect(Object.keys(v2.components.schemas).filter((name) => !names.includes(name))).toEqual(["Money"]);
    for (const name of names.filter((each) => !changed.includes(each))) {
      expect(v2.components.schemas[name], name).toEqual(v1.components.schemas[name]);
    }
  });
});
