/** A way to a server that can be lost: without a sign, as if its machine were gone, or by ending each connection. */
import { once } from "node:events";
import { createServer, connect, type AddressInfo, type Socket } from "node:net";

export interface WayToServer {
  /** The server's address by this way. */
  readonly url: string;
  /** Whether a connection goes this way. The server calls its port `inet_client_port()`. */
  carries(clientPort: number): boolean;
  /** From now on nothing passes, and no connection ends. */
  mute(): void;
  /** From now on each connection ends at once. The port stays taken, so that no other server answers at it. */
  cut(): void;
  close(): void;
}

export async function wayTo(serverUrl: string): Promise<WayToServer> {
  const { hostname, port } = new URL(serverUrl);
  const sockets = new Set<Socket>();
  let isMuted = false;
  let isCut = false;
  const pass = (from: Socket, to: Socket) => {
    from.on("data", (bytes) => {
      if (!isMuted) to.write(bytes);
    });
    from.on("close", () => {
      if (!isMuted) to.destroy();
    });
    from.on("error", () => undefined);
    sockets.add(from);
  };
  const endAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  const listener = createServer((client) => {
    if (isCut) {
      client.destroy();
      return;
    }
    const server = connect(Number(port), hostname);
    pass(client, server);
    pass(server, client);
  });
  listener.listen(0, "127.0.0.1");
  await once(listener, "listening");
  const url = new URL(serverUrl);
  url.host = `127.0.0.1:${String((listener.address() as AddressInfo).port)}`;
  return {
    url: url.href,
    carries: (clientPort) => [...sockets].some(({ localPort }) => localPort === clientPort),
    mute: () => {
      isMuted = true;
    },
    cut: () => {
      isCut = true;
      endAll();
    },
    close: () => {
      listener.close();
      endAll();
    },
  };
}
