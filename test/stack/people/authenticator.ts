/** A passkey in software (WebAuthn §6): it answers as a browser would, or wrongly where a test asks for it. */
import { createHash, createSign, generateKeyPairSync, randomBytes } from "node:crypto";
import { cose, isoCBOR } from "@simplewebauthn/server/helpers";

interface Ceremony {
  readonly challenge: string;
  /** The page that asks. */
  readonly origin: string;
  /** Whether it verified the person, by a PIN or a finger; true by default. */
  readonly isVerified?: boolean;
  /** Host to which the passkey is bound; that of the origin by default. */
  readonly host?: string;
}

const userPresent = 0x01;
const userVerified = 0x04;
const hasCredential = 0x40;

const sha256 = (data: string | Buffer) => createHash("sha256").update(data).digest();
const base64url = (data: Uint8Array) => Buffer.from(data).toString("base64url");

export class Authenticator {
  readonly id = randomBytes(32);
  readonly #keys = generateKeyPairSync("ec", { namedCurve: "P-256" });
  /** How often it has signed; a copy of the passkey would count by itself. */
  counter = 0;

  /** Answers creation options. */
  register({ challenge, origin, isVerified = true, host }: Ceremony) {
    const { x = "", y = "" } = this.#keys.publicKey.export({ format: "jwk" });
    const publicKey = isoCBOR.encode(
      new Map<number, number | Uint8Array<ArrayBuffer>>([
        [cose.COSEKEYS.kty, cose.COSEKTY.EC2],
        [cose.COSEKEYS.alg, cose.COSEALG.ES256],
        [cose.COSEKEYS.crv, cose.COSECRV.P256],
        [cose.COSEKEYS.x, new Uint8Array(Buffer.from(x, "base64url"))],
        [cose.COSEKEYS.y, new Uint8Array(Buffer.from(y, "base64url"))],
      ]),
    );
    const idLength = Buffer.alloc(2);
    idLength.writeUInt16BE(this.id.length);
    const credential = Buffer.concat([Buffer.alloc(16), idLength, this.id, publicKey]);
    const data = Buffer.concat([
      this.#data(host ?? new URL(origin).hostname, isVerified, hasCredential),
      credential,
    ]);
    const attestation = isoCBOR.encode(
      new Map<string, string | Map<string, never> | Uint8Array<ArrayBuffer>>([
        ["fmt", "none"],
        ["attStmt", new Map<string, never>()],
        ["authData", new Uint8Array(data)],
      ]),
    );
    return this.#answer({
      clientDataJSON: base64url(clientData("webauthn.create", challenge, origin)),
      attestationObject: base64url(attestation),
    });
  }

  /** Answers request options. */
  assert({ challenge, origin, isVerified = true, host }: Ceremony) {
    this.counter += 1;
    const data = this.#data(host ?? new URL(origin).hostname, isVerified);
    const client = clientData("webauthn.get", challenge, origin);
    const signature = createSign("SHA256")
      .update(Buffer.concat([data, sha256(client)]))
      .sign(this.#keys.privateKey);
    return this.#answer({
      clientDataJSON: base64url(client),
      authenticatorData: base64url(data),
      signature: base64url(signature),
    });
  }

  #data(host: string, isVerified: boolean, more = 0): Buffer {
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(this.counter);
    const flags = userPresent | (isVerified ? userVerified : 0) | more;
    return Buffer.concat([sha256(host), Buffer.from([flags]), counter]);
  }

  #answer<T extends object>(response: T) {
    const id = base64url(this.id);
    return { id, rawId: id, type: "public-key", clientExtensionResults: {}, response } as const;
  }
}

function clientData(type: string, challenge: string, origin: string): Buffer {
  return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
}
