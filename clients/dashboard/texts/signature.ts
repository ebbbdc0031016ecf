export const signatureTexts = {
  title: "Check a signature",
  text: "Paste what your receiver got, and the secret that it verifies with. The check happens in this page: nothing is sent or kept.",
  body: "Body",
  bodyHint: "The raw body, as it came.",
  header: "Signature",
  headerHint: "The value of X-Service-Signature or of webhook-signature.",
  headerId: "webhook-id",
  headerTimestamp: "webhook-timestamp",
  secret: "Your receiver's secret",
  check: "Check",
  verdicts: {
    Valid: "The signature is right: your receiver has the right secret, and this body is what was sent.",
    TooOld:
      "The signature is right, but older than five minutes. A receiver refuses it as a replay: verify requests as they come, and set your clock.",
    TooNew:
      "The signature is right, but its time is more than five minutes ahead. Set the clock of your receiver.",
    NoSignature:
      "This is no signature. X-Service-Signature has 64 hexadecimal digits; webhook-signature begins with “v1,”.",
    NoTimestamp: "The header webhook-signature also signs webhook-id and webhook-timestamp: paste both.",
    HeaderEncoded:
      "The signature is right, but written in another encoding. X-Service-Signature is lowercase hexadecimal: compare it with that.",
    SecretAltered:
      "The secret is right except at its ends: it has spaces or quotation marks around it, or lacks “whsec_”, which is a part of it.",
    BodyReserialized:
      "This body is the JSON that was sent, but written in another way. Verify the raw bytes, before your framework parses them.",
    BodyEncoded: "This body is in base64, or quoted as a JSON text. Decode it, and verify the decoded bytes.",
    NoMatch:
      "This secret did not sign this body. Either the secret is another one, or the body differs from what was sent.",
  },
  compare: "Compare with what was sent",
  compareText: "This sends the body and the headers to Quittance, but not the secret.",
  otherSecret: (version: number) =>
    `The body is what was sent, so your receiver has another secret. Secret ${String(version)} of this endpoint signed it.`,
  differsAt: (byte: number) => `It differs from byte ${String(byte)} on.`,
} as const;
