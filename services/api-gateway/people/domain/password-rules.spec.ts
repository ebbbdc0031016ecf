import { expect, it } from "vitest";
import { rejectWeakPassword } from "./password-rules.ts";

const known = {
  currentPassword: "given by ﬁnance",
  email: "Noor@Acme.example",
  principal: "noor the second",
};

it.each([
  ["the current one", "given by ﬁnance", "without the current one in it"],
  ["the current one in another form of Unicode", "given by finance", "without the current one in it"],
  ["the current one with a space", "given by ﬁnance ", "without the current one in it"],
  ["the current one in capitals and more", "GIVEN BY FINANCE 2", "without the current one in it"],
  ["the email in another case", "noor@acme.EXAMPLE", "not your email or principal"],
  ["the principal", "Noor the second", "not your email or principal"],
  ["twelve spaces", " ".repeat(12), "at least 5 different characters"],
  ["four characters again and again", "abcdabcdabcd", "at least 5 different characters"],
])("%s is no new password", (_what, password, detail) => {
  expect(() => rejectWeakPassword(password, known)).toThrow(detail);
});

it.each(["a sentence of my own", "abcdeabcdeabcde", "noor@acme.example, since 2026"])(
  "%s is a new password",
  (password) => {
    expect(() => rejectWeakPassword(password, known)).not.toThrow();
  },
);
