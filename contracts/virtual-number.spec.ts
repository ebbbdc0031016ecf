import { describe, expect, it } from "vitest";
import { isValidRoutingNumber } from "./rails/routing-number.ts";
import { checkDigitOf, isVirtualNumber, virtualRoutingNumber } from "./virtual-number.ts";

describe("the number of a virtual account", () => {
  // The worked example of ISO/IEC 7812-1, annex B, and a card scheme's public test number.
  it.each([
    ["7992739871", "3"],
    ["411111111111111", "1"],
    ["5028374916502938", "5"],
  ])("%s ends in the check digit %s", (digits, check) => {
    expect(checkDigitOf(digits)).toBe(check);
  });

  it("is 17 digits that pass the check, and nothing else", () => {
    expect(isVirtualNumber("50283749165029385")).toBe(true);
    for (const text of [
      "50283749165029384",
      "05028374916502938",
      "5028374916502938",
      "502837491650293851",
      " 50283749165029385",
      "50283749165029385\n",
      "5028374916502938x",
      "",
    ]) {
      expect(isVirtualNumber(text), text).toBe(false);
    }
  });

  it("is noticed with any one digit wrong", () => {
    const number = "50283749165029385";
    for (const index of number.split("").keys()) {
      for (let change = 1; change < 10; change += 1) {
        const wrong = (Number(number[index]) + change) % 10;
        const text = number.slice(0, index) + String(wrong) + number.slice(index + 1);
        expect(isVirtualNumber(text), text).toBe(false);
      }
    }
  });

  it("comes with a routing number of the sandbox", () => {
    expect(virtualRoutingNumber).toMatch(/^79/);
    expect(isValidRoutingNumber(virtualRoutingNumber)).toBe(true);
  });
});
