import { expect, it } from "vitest";
import { amountIn } from "./search-terms.ts";

it.each<[string, number | null]>([
  ["1,234.56", 123_456],
  ["1234.56", 123_456],
  ["$1,234.56", 123_456],
  ["1234", 123_400],
  ["0.05", 5],
  ["9,999,999,999.99", 999_999_999_999],
  ["10,000,000,000.00", null],
  ["0", null],
  ["0.00", null],
  ["1.5", null],
  ["1,23.00", null],
  ["12,345,6.00", null],
  [",123", null],
  ["-5.00", null],
  ["1e3", null],
  ["1234.567", null],
  ["invoice-12", null],
  ["", null],
])("reads %j as %j cents", (text, cents) => {
  expect(amountIn(text)).toBe(cents);
});
