/** Creates and uses API keys at a gateway under test. */
import { ApplyApprovalRights, ListOrders } from "../../../contracts/messages/orders.ts";
import type { TestGateway } from "./gateway.ts";

export interface Holder {
  readonly id: string;
  readonly key: string;
}

type Answer = ReturnType<TestGateway["call"]>;

export class KeyDesk {
  readonly #gateway: TestGateway;

  private constructor(gateway: TestGateway) {
    this.#gateway = gateway;
  }

  static async open(gateway: TestGateway): Promise<KeyDesk> {
    await gateway.owner(ListOrders, () => ({ data: [], nextCursor: null, hasMore: false }));
    await gateway.owner(ApplyApprovalRights, ({ data: { rights } }) => ({ recorded: rights.length }));
    return new KeyDesk(gateway);
  }

  /** New keys: ana and bob have every scope, carl may read orders and create keys. */
  people(): Promise<[Holder, Holder, Holder]> {
    return Promise.all([
      this.#gateway.issue({ principal: "ana" }),
      this.#gateway.issue({ principal: "bob" }),
      this.#gateway.issue({ principal: "carl", scopes: ["orders:read", "keys:write"] }),
    ]);
  }

  post(to: string, who: Pick<Holder, "key">, body?: unknown, headers: Record<string, string> = {}): Answer {
    return this.#gateway.call("POST", to, { key: who.key, ...(body === undefined ? {} : { body }), headers });
  }

  get(from: string, who: Pick<Holder, "key">): Answer {
    return this.#gateway.call("GET", from, { key: who.key });
  }

  make(who: Pick<Holder, "key">, wish: object): Answer {
    return this.post("/v1/api-keys", who, { name: "spare", ...wish });
  }

  /** 200 if the gateway accepts the key, else the error code. */
  async opens(key: unknown): Promise<unknown> {
    const { status, body } = await this.get("/v1/payment-orders", { key: String(key) });
    return status === 200 ? 200 : body["code"];
  }
}
