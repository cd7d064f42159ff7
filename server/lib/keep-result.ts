/** Returns a function that runs `work` once and keeps its result. After a failure, the next call runs it again. */
export function keepResult<Result>(work: () => Promise<Result>): () => Promise<Result> {
  let kept: Promise<Result> | undefined
  return () => {
    kept ??= work().catch((error: unknown) => {
      kept = undefined
      throw error
    })
    return kept
  }
}
