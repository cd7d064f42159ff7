/** The cache key and address of a person's own links. */
export const sharesKey = '/api/shares'
