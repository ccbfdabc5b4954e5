/** What EACCES of a listening port means. */

/** @returns what follows "port 8431": why the system refuses it, and what to do */
export function explainPortRights(platform: NodeJS.Platform = process.platform): string {
  return platform === "win32"
    ? "is reserved by Windows, as Hyper-V, WSL and Docker ask it to; " +
        "netsh int ipv4 show excludedportrange protocol=tcp shows which ports are, choose another one"
    : "needs more rights; ports from 1024 on do not";
}

/** Name of the console's text that says the same. */
export function portRightsReason(platform: NodeJS.Platform = process.platform): "refusedReserved" | "refusedRights" {
  return platform === "win32" ? "refusedReserved" : "refusedRights";
}
