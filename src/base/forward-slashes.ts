/** Returns a path with forward slashes, which Windows takes too: the same text in every report, YAML file and URL. */
export function forwardSlashes(path: string, platform: NodeJS.Platform = process.platform): string {
  return platform === "win32" ? path.replaceAll("\\", "/") : path;
}
