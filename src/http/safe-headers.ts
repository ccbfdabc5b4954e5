/**
 * Headers of every answer. A browser must not guess another content type, and a page of another origin must not embed
 * the answer or control its window.
 */
export const SAFE_HEADERS = {
  "X-Content-Type-Options": "nosniff",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  // This policy is for answers that are not pages: they load nothing and cannot be framed. Pages set their own policy.
  "Content-Security-Policy": "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
} as const;
