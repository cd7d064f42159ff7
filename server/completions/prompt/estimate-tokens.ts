/** An average of the common tokenizers, for English text. */
const asciiCharsPerToken = 3.5
/** Tokens that a provider adds to each message. */
export const tokensPerMessage = 4

/**
 * Estimates the tokens of a text: one for 3.5 ASCII characters, and one for each other character, such as a Chinese
 * one. Tokenizers differ by a quarter, so the estimate is high on purpose.
 */
export function estimateTokens(text: string): number {
  let ascii = 0
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) < 128) ascii++
  return Math.ceil(ascii / asciiCharsPerToken) + (text.length - ascii)
}
