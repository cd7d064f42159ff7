/**
 * The data of the event that ends a stream, as in OpenAI's chat completions. In a file without schemas, because
 * the web app loads it with its first page.
 */
export const endMarker = '[DONE]'
