import { channelsOf, parameters } from "./channels.ts";
import { Docstrings } from "./docstrings.ts";
import { type Exported, messagesOfContracts } from "./messages-of-contracts.ts";
import { envelopesFile, Messages } from "./messages.ts";
import { operationsOf } from "./operations.ts";
import { type JsonSchema, Schemas } from "./schemas.ts";

const description = `Every command, event, announcement and request that the services of Quittance send each other.

- **Commands and events** travel in JetStream, 1–100 of one type in an envelope. A service publishes them after the commit that wrote them. They may arrive twice, late or early: deduplicate them by \`id\`.
- **Announcements** travel over core NATS, once, to the instances that listen at that moment. They say that something has changed, so that open screens read it again.
- **Requests** travel over core NATS. Their caller waits for the reply until the deadline.
- **Operations** begin with the service whose NATS user may send or receive; \`gateway\` is api-gateway, \`rails\` is rails-simulator, and \`operator\` is whoever runs the service. The NATS server refuses everything else.
- **Schemas** show what a receiver accepts. A released message only gains optional fields: ignore those that you don't know.
- **Dead letters**, in stream DLQ, are for the operator and have no contract.

What tenants receive is the HTTP API and its webhooks: contracts/openapi/v1.json.`;

/** The AsyncAPI document of all messages of contracts/messages. */
export async function documentOfContracts(): Promise<JsonSchema> {
  const messages = await messagesOfContracts();
  return documentOf(messages, new Docstrings([...messages.map(({ file }) => file), envelopesFile]));
}

/** The AsyncAPI document of these messages, and of who sends and receives them by contracts/topology.ts. */
export function documentOf(messages: readonly Exported[], docstrings: Docstrings): JsonSchema {
  const schemas = new Schemas();
  const components = new Messages(schemas, docstrings);
  const written: JsonSchema = Object.assign({}, ...messages.map((message) => components.of(message)));
  return {
    asyncapi: "3.0.0",
    info: {
      title: "Quittance messages",
      version: "v1",
      description,
      contact: { name: "Quittance", url: "https://docs.quittance.example" },
      license: { name: "Proprietary" },
      tags: [{ name: "NATS" }],
    },
    defaultContentType: "application/json",
    servers: { nats: server },
    channels: channelsOf(messages),
    operations: operationsOf(messages),
    components: {
      schemas: schemas.shared(),
      messages: written,
      parameters,
      securitySchemes: {
        natsUser: {
          type: "userPassword",
          description: "Each service has a NATS account and user of its own.",
        },
      },
    },
  };
}

const server = {
  host: "{host}:{port}",
  protocol: "nats",
  description: "NATS with JetStream, as `make start` runs it. `NATS_URL` selects another.",
  variables: {
    host: { default: "127.0.0.1", description: "Its host." },
    port: { default: "4606", description: "Its port (`NATS_PORT`)." },
  },
  security: [{ $ref: "#/components/securitySchemes/natsUser" }],
};
