import { expect, it } from "vitest";
import { ListCounterparties } from "../../../contracts/messages/orders.ts";
import { CounterpartiesOnTest } from "../../../test/stack/counterparties.ts";
import { OrdersOnTest } from "../../../test/stack/orders.ts";

const orders = new OrdersOnTest();
const counterparties = new CounterpartiesOnTest(orders);

// The ORM writes values into its statements instead of binding them (ADR 8), so no text may end or change one.
it.each([
  "O'Hara",
  "\\'; drop table counterparty; --",
  "who? ?? ?0 $1 :name",
  "E'\\x27'",
  '"{}"\\',
  "%_",
  "$$;$$",
])("keeps the text %j in every field, and a filter finds it", async (text) => {
  const texts = { name: text, externalId: text, metadata: { [text]: text } };
  const { id } = await counterparties.create(texts);
  await counterparties.replace(id, texts);
  expect(await counterparties.read(id)).toMatchObject(texts);
  const { value } = await orders.request(ListCounterparties, { externalId: text });
  expect(value.data.map((found) => found.id)).toEqual([id]);
});
