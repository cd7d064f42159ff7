import type { Dispatcher } from 'undici'
import { AppError } from '../../lib/app-error.ts'

/**
 * Limits the bytes of every response. Compressed responses, which were not requested, are refused, so that a small body
 * cannot expand into a large one.
 */
export function limitResponse(maxBytes: number): Dispatcher.DispatcherComposeInterceptor {
  return (dispatch) => (options, handler) => dispatch(options, new LimitedHandler(handler, maxBytes))
}

class LimitedHandler implements Dispatcher.DispatchHandler {
  private received = 0
  private readonly inner: Dispatcher.DispatchHandler
  private readonly maxBytes: number

  constructor(inner: Dispatcher.DispatchHandler, maxBytes: number) {
    this.inner = inner
    this.maxBytes = maxBytes
  }

  onRequestStart(controller: Dispatcher.DispatchController, context: unknown): void {
    this.inner.onRequestStart?.(controller, context)
  }

  onRequestUpgrade(...args: Parameters<NonNullable<Dispatcher.DispatchHandler['onRequestUpgrade']>>): void {
    this.inner.onRequestUpgrade?.(...args)
  }

  onResponseStart(...args: Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseStart']>>): void {
    const [controller, , headers] = args
    const encoding = String(headers['content-encoding'] ?? 'identity')
      .trim()
      .toLowerCase()
    const announced = Number(headers['content-length'])
    if (encoding !== '' && encoding !== 'identity') {
      controller.abort(
        new AppError('upstream_invalid', 'The server sent a compressed response, which was not requested.'),
      )
    } else if (announced > this.maxBytes) {
      controller.abort(this.tooLarge())
    } else {
      this.inner.onResponseStart?.(...args)
    }
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.received += chunk.length
    if (this.received > this.maxBytes) controller.abort(this.tooLarge())
    else this.inner.onResponseData?.(controller, chunk)
  }

  onResponseEnd(...args: Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseEnd']>>): void {
    this.inner.onResponseEnd?.(...args)
  }

  onResponseError(...args: Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseError']>>): void {
    this.inner.onResponseError?.(...args)
  }

  private tooLarge(): AppError {
    return new AppError(
      'output_limit',
      `The server sent more than ${this.maxBytes.toLocaleString('en')} bytes.`,
    )
  }
}
