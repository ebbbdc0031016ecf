/** A way to a server that can be lost: without a sign, as if its machine were gone, or by ending each connection. */
import { once } from "node:events";
import { createServer, connect, type AddressInfo, type Socket } from "node:net";

export interface WayToServer {
  /** The server's address by this way. */
  readonly url: string;
  /** From now on nothing passes, and no connection ends. */
  mute(): void;
  /** Mutes it when this text is about to go to the server. */
  muteAt(text: string): void;
  readonly isMuted: boolean;
  /** From now on each connection ends at once. The port stays taken, so that no other server answers at it. */
  cut(): void;
  close(): void;
}

export async function wayTo(serverUrl: string): Promise<WayToServer> {
  const { hostname, port } = new URL(serverUrl);
  const sockets = new Set<Socket>();
  let isMuted = false;
  let lastText: string | undefined;
  let isCut = false;
  const pass = (from: Socket, to: Socket) => {
    from.on("data", (bytes) => {
      if (lastText !== undefined && bytes.includes(lastText)) isMuted = true;
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
    mute: () => {
      isMuted = true;
    },
    muteAt: (text) => {
      lastText = text;
    },
    get isMuted() {
      return isMuted;
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
