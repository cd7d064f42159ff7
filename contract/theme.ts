/** The theme preference (§3.19). A stored value that is none of these counts as `light` (§4.6). */
export const themes = ['light', 'dark', 'system'] as const
export type Theme = (typeof themes)[number]
