/**
 * Headers of every answer. A browser must not guess another content type, and a page of another origin must not embed
 * the answer or control its window.
 */
export const SAFE_HEADERS = {
  "X-Content-Type-Options": "nosniff",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  // Pages set their own policy. Everything else loads nothing and cannot be framed.
  "Content-Security-Policy": "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
} as const;
