/** A field as a careful writer of CSV writes it: quoted only where it must be. */
export const csvField = (text: string): string =>
  /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
