import { describe, expect, it } from "vitest";
import { newId } from "../../../../contracts/ids/ids.ts";
import { ownPage, pageAfterFailure, pageAfterSignIn, signInPage } from "./page-after-sign-in.ts";

const tenant = newId("ten");

describe("a page to return to after a sign-in", () => {
  it.each([
    "/test/approvals",
    "/live/orders/po_01m7y5tbk0ej1b96dee38trsh3",
    "/test/orders?rail=Wire&status=Pending",
    "/live",
    "/test/",
    "/test?tab=others",
    "/test/orders?reference=https:%2F%2Fa.example%5Cb",
    "/test/sign-ins",
  ])("is %s", (next) => {
    expect(ownPage(next)).toBe(next);
  });

  it.each<[string, unknown]>([
    ["nothing", undefined],
    ["no text", ["/test/approvals", "/live/approvals"]],
    ["an empty text", ""],
    ["an address", "https://evil.example/test/approvals"],
    ["an address without a scheme", "//evil.example/test/approvals"],
    ["three slashes", "///evil.example"],
    ["two slashes further on", "/test//evil.example"],
    ["two slashes in the query", "/test/orders?to=//evil.example"],
    ["a backslash", "/\\evil.example"],
    ["a backslash further on", "/test/\\evil.example"],
    ["a tab, which browsers drop", "/\t/evil.example"],
    ["a tab within", "/test/\t/evil.example"],
    ["a line end, which would start a header", "/test/approvals\r\nset-cookie: a=b"],
    ["a line end at its end", "/test/approvals\n"],
    ["a null", "/test/\u0000"],
    ["a space before it", " /test/approvals"],
    ["a letter outside of ASCII", "/test/approvals?q=ü"],
    ["a script", "javascript:alert(1)"],
    ["a path without its slash", "test/approvals"],
    ["a user at a host", "/@evil.example"],
    ["a path outside of the pages", "/auth/oidc/callback"],
    ["a book that only begins like one", "/tests/approvals"],
    ["a way out of the pages", "/test/../auth/oidc/callback"],
    ["an encoded way out", "/test/%2e%2e/auth/oidc/callback"],
    ["the sign-in itself", "/test/sign-in?next=/test/sign-in"],
    ["a fragment", "/test/approvals#x"],
    ["too long a text", `/test/orders?q=${"a".repeat(1_000)}`],
  ])("is not %s", (_what, next) => {
    expect(ownPage(next)).toBeUndefined();
  });
});

describe("after a sign-in", () => {
  it.each([
    ["/live/orders/po_1", { Test: ["Viewer"], Live: ["Viewer"] }, "/live/orders/po_1"],
    ["/test/orders", { Test: ["Viewer"], Live: ["Viewer"] }, "/test/orders"],
    [undefined, { Test: ["Viewer"], Live: ["Viewer"] }, "/test/approvals"],
    [undefined, { Test: [], Live: ["Viewer"] }, "/live/approvals"],
    ["/test/approvals", { Test: [], Live: ["Viewer"] }, "/live/approvals"],
    ["/live/orders/po_1", { Test: [], Live: ["Viewer"] }, "/live/orders/po_1"],
    ["/live/orders/po_1", { Test: ["Viewer"], Live: [] }, "/test/approvals"],
    ["/live/orders/po_1", { Test: [], Live: [] }, "/live/orders/po_1"],
    ["//evil.example", { Test: [], Live: [] }, "/test/approvals"],
  ] as const)("from %s, with the roles %j, the page is %s", (next, roles, page) => {
    expect(pageAfterSignIn(next, roles)).toBe(page);
  });

  it("that failed, the sign-in page of the same book has the tenant and the page that was asked for", () => {
    expect(pageAfterFailure(tenant, "/live/orders?rail=Wire")).toBe(
      `/live/sign-in?failed=openid&tenant=${tenant}&next=%2Flive%2Forders%3Frail%3DWire`,
    );
    expect(pageAfterFailure(undefined, undefined)).toBe("/test/sign-in?failed=openid");
    expect(pageAfterFailure(undefined, "//evil.example")).toBe("/test/sign-in?failed=openid");
  });
});

it("the address of a tenant leads to the sign-in page with its button", () => {
  expect(signInPage(tenant, undefined)).toBe(`/test/sign-in?tenant=${tenant}`);
  expect(signInPage(tenant, "/live/orders")).toBe(`/live/sign-in?tenant=${tenant}&next=%2Flive%2Forders`);
  expect(signInPage(tenant, "//evil.example")).toBe(`/test/sign-in?tenant=${tenant}`);
});
