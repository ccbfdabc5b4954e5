/**
 * Returns a path with forward slashes, so that it is the same in every report, file and shell. Windows takes forward
 * slashes too, and YAML, URLs and docs need them.
 */
export function forwardSlashes(path: string, platform: NodeJS.Platform = process.platform): string {
  return platform === "win32" ? path.replaceAll("\\", "/") : path;
}
