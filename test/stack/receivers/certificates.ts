/** Certificates for TLS servers of a test, as Node makes keys and signatures but no certificates (RFC 5280, DER). */
import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";

const oids = {
  ecdsaWithSha256: "2a8648ce3d040302",
  commonName: "550403",
  basicConstraints: "551d13",
  subjectAltName: "551d11",
} as const;

function der(tag: number, ...contents: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(contents);
  const { length } = content;
  const short =
    length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...short]), content]);
}

const sequence = (...items: readonly Uint8Array[]) => der(0x30, ...items);
const oid = (name: keyof typeof oids) => der(0x06, Buffer.from(oids[name], "hex"));
const algorithm = sequence(oid("ecdsaWithSha256"));
const nameOf = (common: string) =>
  sequence(der(0x31, sequence(oid("commonName"), der(0x0c, Buffer.from(common)))));
/** GeneralizedTime, to the second. */
const time = (at: Date) => der(0x18, Buffer.from(`${at.toISOString().replaceAll(/\D/g, "").slice(0, 14)}Z`));
const extension = (name: keyof typeof oids, value: Uint8Array) => sequence(oid(name), der(0x04, value));

export interface Certified {
  readonly name: string;
  readonly key: KeyObject;
  /** PEM of the certificate, and of its key. */
  readonly cert: string;
  readonly keyPem: string;
}

export interface CertificateRequest {
  /** Its common name, and the DNS name that it is for. */
  readonly name: string;
  /** Default: itself, as an authority. */
  readonly issuer?: Certified;
  /** Default: tomorrow. */
  readonly endsAt?: Date;
}

const day = 24 * 3_600_000;
let serial = 0;

/** A key with a certificate that began two days ago. */
export function certify({ name, issuer, endsAt }: CertificateRequest): Certified {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  serial += 1;
  const extensions =
    issuer === undefined
      ? extension("basicConstraints", sequence(der(0x01, Buffer.from([0xff]))))
      : extension("subjectAltName", sequence(der(0x82, Buffer.from(name))));
  const content = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([serial])),
    algorithm,
    nameOf(issuer?.name ?? name),
    sequence(time(new Date(Date.now() - 2 * day)), time(endsAt ?? new Date(Date.now() + day))),
    nameOf(name),
    publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, sequence(extensions)),
  );
  const signature = sign("sha256", content, issuer?.key ?? privateKey);
  const certificate = sequence(content, algorithm, der(0x03, Buffer.from([0]), signature));
  const lines =
    certificate
      .toString("base64")
      .match(/.{1,64}/g)
      ?.join("\n") ?? "";
  return {
    name,
    key: privateKey,
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
    keyPem: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  };
}
