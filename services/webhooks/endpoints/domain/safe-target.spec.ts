import { describe, expect, it } from "vitest";
import { allowedRanges, faultOfUrl, isSafeAddress } from "./safe-target.ts";

const nothingAllowed = allowedRanges([]);
const loopbackAllowed = allowedRanges(["127.0.0.0/8", "::1/128"]);
const notPublic = "must not point to a private, loopback, link-local or reserved address";

describe("where a request may go", () => {
  it.each(["8.8.8.8", "1.1.1.1", "93.184.216.34", "2606:4700:4700::1111", "::ffff:8.8.8.8"])(
    "%s is public",
    (address) => {
      expect(isSafeAddress(address, nothingAllowed)).toBe(true);
    },
  );

  it.each([
    ["127.0.0.1", "loopback"],
    ["127.1", "loopback, short"],
    ["2130706433", "loopback as one number"],
    ["0x7f000001", "loopback in hex"],
    ["::1", "loopback"],
    ["::ffff:127.0.0.1", "mapped loopback"],
    ["::ffff:7f00:1", "mapped loopback in hex"],
    ["::127.0.0.1", "IPv4-compatible loopback"],
    ["::7f00:1", "IPv4-compatible loopback in hex"],
    ["0.0.0.0", "this host"],
    ["::", "this host"],
    ["10.1.2.3", "private"],
    ["172.16.0.1", "private"],
    ["192.168.1.1", "private"],
    ["fd12:3456::1", "unique local"],
    ["fe80::1", "link-local"],
    ["169.254.169.254", "metadata: AWS, GCP, Azure"],
    ["::ffff:169.254.169.254", "metadata, mapped"],
    ["fd00:ec2::254", "metadata: AWS over IPv6"],
    ["100.100.100.200", "metadata: Alibaba, in the carrier-grade NAT range"],
    ["192.0.0.192", "metadata: Oracle"],
    ["168.63.129.16", "metadata: Azure's wire server, formally public"],
    ["64:ff9b::7f00:1", "loopback behind NAT64"],
    ["2002:7f00:1::", "loopback behind 6to4"],
    ["224.0.0.1", "multicast"],
    ["ff02::1", "multicast"],
    ["255.255.255.255", "broadcast"],
    ["198.18.0.1", "benchmarking"],
    ["2001:db8::1", "documentation"],
    ["not an address", "no address at all"],
    ["", "nothing"],
  ])("%s is refused (%s)", (address) => {
    expect(isSafeAddress(address, nothingAllowed)).toBe(false);
  });

  it("goes to what the operator allows, and only there", () => {
    expect(isSafeAddress("127.0.0.1", loopbackAllowed)).toBe(true);
    expect(isSafeAddress("::ffff:127.0.0.1", loopbackAllowed)).toBe(true);
    expect(isSafeAddress("::1", loopbackAllowed)).toBe(true);
    expect(isSafeAddress("10.0.0.1", loopbackAllowed)).toBe(false);
    expect(isSafeAddress("169.254.169.254", loopbackAllowed)).toBe(false);
  });

  it("does not start with an allowance that is no CIDR", () => {
    expect(() => allowedRanges(["127.0.0.1/99"])).toThrow();
  });
});

describe("which URL an endpoint may have", () => {
  it.each([
    "http://127.1/hook",
    "http://2130706433/hook",
    "http://0x7f.0.0.1/hook",
    "http://0177.0.0.1/hook",
    "http://127.0.0.1./hook",
    "http://[::1]/hook",
    "http://[::ffff:127.0.0.1]/hook",
    "http://[::ffff:7f00:1]/hook",
    "http://169.254.169.254/latest/meta-data/",
    "http://10.0.0.8:8080/hook",
    "https://192.168.0.10/hook",
    "http://localhost:3000/hook",
    "http://localhost./hook",
    "http://hooks.localhost/hook",
  ])("not %s", (url) => {
    expect(faultOfUrl(url, "Test", nothingAllowed)).toBe(notPublic);
  });

  it("loopback where the operator allows it", () => {
    expect(faultOfUrl("http://127.0.0.1:9999/sinks/1", "Test", loopbackAllowed)).toBeNull();
    expect(faultOfUrl("http://localhost:9999/sinks/1", "Test", loopbackAllowed)).toBeNull();
  });

  it("https only in Live, both in Test", () => {
    expect(faultOfUrl("http://example.com/hook", "Test", nothingAllowed)).toBeNull();
    expect(faultOfUrl("https://example.com/hook", "Test", nothingAllowed)).toBeNull();
    expect(faultOfUrl("https://example.com/hook", "Live", nothingAllowed)).toBeNull();
    expect(faultOfUrl("http://example.com/hook", "Live", nothingAllowed)).toBe(
      "must begin with https:// in Live mode",
    );
  });

  it("no other scheme, no user name, no nonsense", () => {
    expect(faultOfUrl("ftp://example.com/", "Test", nothingAllowed)).toBe("must begin with https://");
    expect(faultOfUrl("file:///etc/passwd", "Test", nothingAllowed)).toBe("must begin with https://");
    expect(faultOfUrl("https://me:pw@example.com/", "Test", nothingAllowed)).toBe(
      "must not carry a user name or password",
    );
    expect(faultOfUrl("https://", "Test", nothingAllowed)).toBe("is not a URL");
  });
});
