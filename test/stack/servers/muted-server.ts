/** A way to a server that can lose everything, as if its machine were gone: no answer, no reset, no end. */
import { once } from "node:events";
import { createServer, connect, type AddressInfo, type Socket } from "node:net";

export interface MutedServer {
  /** The server's address by this way. */
  readonly url: string;
  /** From now on nothing passes, and no connection ends. */
  mute(): void;
  close(): void;
}

export async function wayTo(serverUrl: string): Promise<MutedServer> {
  const { hostname, port } = new URL(serverUrl);
  const sockets = new Set<Socket>();
  let isMuted = false;
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
  const listener = createServer((client) => {
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
    mute: () => {
      isMuted = true;
    },
    close: () => {
      listener.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
