/**
 * Takes the ports that this machine refuses out of the range from which the system picks free ports. A machine may refuse
 * connections to a port although a server listens there, for example by a rule of its firewall. Each test whose server gets
 * such a port fails with ECONNREFUSED; with two such ports, every second run of all tests had a failure.
 */
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";

const RANGE = "/proc/sys/net/ipv4/ip_local_port_range";
const RESERVED = "/proc/sys/net/ipv4/ip_local_reserved_ports";
const HOST = "127.0.0.1";
/** Ports that are tried at the same time. */
const AT_ONCE = 100;

/** Whether the machine refuses a connection to a server that listens on the port. */
async function isRefused(port) {
  const server = createServer((socket) => socket.on("error", () => undefined));
  try {
    server.listen(port, HOST);
    await once(server, "listening");
  } catch {
    // Another program has the port.
    return false;
  }
  const client = connect(port, HOST);
  try {
    await once(client, "connect");
    return false;
  } catch (error) {
    return error.code === "ECONNREFUSED";
  } finally {
    // A reset leaves no connection in TIME_WAIT, which would take a port from the range.
    client.resetAndDestroy();
    server.close();
  }
}

const [first, last] = readFileSync(RANGE, "utf8").split(/\s+/).map(Number);
const refused = [];
for (let port = first; port <= last; port += AT_ONCE) {
  const ports = Array.from({ length: Math.min(AT_ONCE, last - port + 1) }, (_, i) => port + i);
  const results = await Promise.all(ports.map(isRefused));
  refused.push(...ports.filter((_, i) => results[i]));
}
if (refused.length > 0) {
  const reserved = readFileSync(RESERVED, "utf8").trim();
  writeFileSync(RESERVED, [reserved, ...refused].filter((part) => part !== "").join(","));
  console.log(`This machine refuses connections to the ports ${refused.join(", ")}: no test gets them now.`);
}
