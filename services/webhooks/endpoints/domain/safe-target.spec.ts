import { describe, expect, it } from "vitest";
import { allowedRanges, urlRejection, isSafeAddress } from "./safe-target.ts";

const nothingAllowed = allowedRanges([]);
const loopbackAllowed = allowedRanges(["127.0.0.0/8", "::1/128"]);
const notPublic = "must not point to a private, loopback, link-local or reserved address";

describe("an address for requests", () => {
  it.each(["8.8.8.8", "1.1.1.1", "93.184.216.34", "2606:4700:4700::1111", "::ffff:8.8.8.8"])(
    "%s is safe",
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
    ["64:ff9b::7f00:1", "loopback through NAT64"],
    ["2002:7f00:1::", "loopback through 6to4"],
    ["224.0.0.1", "multicast"],
    ["ff02::1", "multicast"],
    ["255.255.255.255", "broadcast"],
    ["198.18.0.1", "benchmarking"],
    ["2001:db8::1", "documentation"],
    ["not an address", "text"],
    ["", "empty text"],
  ])("%s is unsafe (%s)", (address) => {
    expect(isSafeAddress(address, nothingAllowed)).toBe(false);
  });

  it("is safe if the operator allows it, and only then", () => {
    expect(isSafeAddress("127.0.0.1", loopbackAllowed)).toBe(true);
    expect(isSafeAddress("::ffff:127.0.0.1", loopbackAllowed)).toBe(true);
    expect(isSafeAddress("::1", loopbackAllowed)).toBe(true);
    expect(isSafeAddress("10.0.0.1", loopbackAllowed)).toBe(false);
    expect(isSafeAddress("169.254.169.254", loopbackAllowed)).toBe(false);
  });

  it("can't be allowed by a malformed CIDR", () => {
    expect(() => allowedRanges(["127.0.0.1/99"])).toThrow();
  });
});

describe("the URL of an endpoint", () => {
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
  ])("can't be %s", (url) => {
    expect(urlRejection(url, "Test", nothingAllowed)).toBe(notPublic);
  });

  it.each([
    ["https://example.com:0/hook", "0"],
    ["https://example.com:25/hook", "25"],
    ["https://example.com:0025/hook", "25"],
    ["https://127.0.0.1:25/hook", "25"],
  ])("can't be %s: no port %s, in either mode, whatever the operator allows", (url, port) => {
    expect(urlRejection(url, "Test", loopbackAllowed)).toBe(`must not use port ${port}`);
    expect(urlRejection(url, "Live", loopbackAllowed)).toBe(`must not use port ${port}`);
  });

  it("can have a port that only begins or ends like those", () => {
    expect(urlRejection("https://example.com:2525/hook", "Live", nothingAllowed)).toBeNull();
    expect(urlRejection("https://example.com:250/hook", "Live", nothingAllowed)).toBeNull();
  });

  it.each([
    ["https://./", "no name"],
    ["https://../", "no name"],
    ["https://localhost../", "an empty label at its end"],
    ["https://hooks..example.com/", "an empty label"],
    [`https://${"a".repeat(64)}.com/`, "a label of 64 characters"],
    [`https://${"a.".repeat(126)}aa/`, "254 characters"],
  ])("can't be %s: no resolver knows such a name (%s)", (url) => {
    expect(urlRejection(url, "Live", loopbackAllowed)).toBe(
      "must have a host name of at most 253 characters, with 1 to 63 of them between its dots",
    );
  });

  it("can have the longest name that DNS has, and a dot at its end", () => {
    expect(urlRejection(`https://${"a.".repeat(126)}a/`, "Live", nothingAllowed)).toBeNull();
    expect(urlRejection(`https://${"a".repeat(63)}.com./`, "Live", nothingAllowed)).toBeNull();
  });

  it("may be loopback if the operator allows it", () => {
    expect(urlRejection("http://127.0.0.1:9999/sinks/1", "Test", loopbackAllowed)).toBeNull();
    expect(urlRejection("http://localhost:9999/sinks/1", "Test", loopbackAllowed)).toBeNull();
  });

  it("must be https in Live mode; Test mode allows http", () => {
    expect(urlRejection("http://example.com/hook", "Test", nothingAllowed)).toBeNull();
    expect(urlRejection("https://example.com/hook", "Test", nothingAllowed)).toBeNull();
    expect(urlRejection("https://example.com/hook", "Live", nothingAllowed)).toBeNull();
    expect(urlRejection("http://example.com/hook", "Live", nothingAllowed)).toBe(
      "must begin with https:// in Live mode",
    );
  });

  it("can't have another scheme or a user name, and must be a URL", () => {
    expect(urlRejection("ftp://example.com/", "Test", nothingAllowed)).toBe("must begin with https://");
    expect(urlRejection("file:///etc/passwd", "Test", nothingAllowed)).toBe("must begin with https://");
    expect(urlRejection("https://me:pw@example.com/", "Test", nothingAllowed)).toBe(
      "must not carry a user name or password",
    );
    expect(urlRejection("https://", "Test", nothingAllowed)).toBe("is not a URL");
  });
});
