/** Explains why the system refuses a port with the error EACCES. */

/** @returns text that follows "port 8431" in a sentence: why the system refuses the port, and what to do */
export function explainPortRights(platform: NodeJS.Platform = process.platform): string {
  return platform === "win32"
    ? "is reserved by Windows for programs such as Hyper-V, WSL or Docker; " +
        "list reserved ports with netsh int ipv4 show excludedportrange protocol=tcp, and choose another one"
    : "needs administrator rights; choose a port from 1024 on";
}

/** Name of the text with which the console explains that the system refuses a port. */
export function portRightsReason(platform: NodeJS.Platform = process.platform): "refusedReserved" | "refusedRights" {
  return platform === "win32" ? "refusedReserved" : "refusedRights";
}
