import { createHash, randomBytes } from 'node:crypto'

export interface Tokens {
  readonly access_token: string
  readonly refresh_token: string
  readonly id_token: string
  readonly expires_in: number
}

interface Authorization {
  readonly verifier: string
  readonly address: URL
}

const account = { name: 'Ada Lovelace', email: 'ada@example.com', password: 'correct horse' }
export const testAccount = account

/** A minimal browser for sign-in, with cookies of its own. `fetch` and `post` follow no redirects. */
export class SignInSession {
  readonly #cookies = new Map<string, { value: string; path: string }>()
  readonly baseUrl: string
  readonly #send: typeof fetch

  /** `send` replaces `fetch` when the server does not listen at `baseUrl`. */
  constructor(baseUrl: string, send: typeof fetch = fetch) {
    this.baseUrl = baseUrl
    this.#send = send
  }

  async fetch(address: string | URL, init: Pick<RequestInit, 'method' | 'body'> = {}): Promise<Response> {
    const url = new URL(address, this.baseUrl)
    const cookie = [...this.#cookies]
      .filter(([, { path }]) => url.pathname.startsWith(path))
      .map(([name, { value }]) => `${name.split(' ')[0]}=${value}`)
      .join('; ')
    const response = await this.#send(url, {
      ...init,
      redirect: 'manual',
      headers: { accept: 'text/html', cookie },
    })
    for (const line of response.headers.getSetCookie()) this.#keep(line)
    return response
  }

  /** Follows redirects within the server's origin, until a page or the address with the code. */
  async follow(response: Response): Promise<{ readonly response: Response; readonly address: string }> {
    let address = response.url
    let current = response
    while (current.status >= 300 && current.status < 400) {
      const next = new URL(current.headers.get('location') ?? '', this.baseUrl)
      address = next.href
      if (next.pathname === '/' || next.origin !== this.baseUrl) break
      current = await this.fetch(next)
    }
    return { response: current, address }
  }

  /**
   * The address of an authorization request, and the PKCE verifier for its code. `changes` overrides or adds
   * parameters; undefined removes one.
   */
  authorization(changes: Readonly<Record<string, string | undefined>> = {}): Authorization {
    const verifier = randomBytes(32).toString('base64url')
    const params: Record<string, string | undefined> = {
      client_id: 'yonder',
      response_type: 'code',
      redirect_uri: `${this.baseUrl}/`,
      scope: 'openid profile email offline_access',
      state: randomBytes(8).toString('hex'),
      nonce: randomBytes(8).toString('hex'),
      audience: `${this.baseUrl}/api`,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
      ...changes,
    }
    const address = new URL('/oidc/auth', this.baseUrl)
    for (const [name, value] of Object.entries(params)) {
      if (value !== undefined) address.searchParams.set(name, value)
    }
    return { verifier, address }
  }

  /** Starts a sign-in and opens its page, or the one at `page` below it. `path` is the path of the form. */
  async openForm(changes: Readonly<Record<string, string | undefined>> = {}, page = '') {
    const { verifier, address } = this.authorization(changes)
    const first = await this.follow(await this.fetch(address))
    const path = new URL(first.address).pathname + page
    const text = page === '' ? await first.response.text() : await (await this.fetch(path)).text()
    const form = /name="form" value="([^"]+)"/.exec(text)?.[1] ?? ''
    return { verifier, path, form, text, address: first.address }
  }

  post(path: string, fields: Readonly<Record<string, string>>): Promise<Response> {
    return this.fetch(path, { method: 'POST', body: new URLSearchParams(fields) })
  }

  /** Creates an account and returns the code. */
  async signUp(user: Partial<typeof account> = {}): Promise<{ code: string; verifier: string }> {
    const { verifier, path, form } = await this.openForm({}, '/new-account')
    return this.#end(await this.post(path, { ...account, ...user, form }), verifier)
  }

  /** Signs in with an account that exists, and returns the code. `changes` are those of `authorization`. */
  async signIn(
    user: Partial<typeof account> = {},
    changes: Readonly<Record<string, string | undefined>> = {},
  ): Promise<{ code: string; verifier: string }> {
    const { verifier, path, form, address } = await this.openForm(changes)
    const { searchParams } = new URL(address)
    const code = searchParams.get('code')
    // The browser still had a session at the provider, so no form was shown.
    if (code !== null) return { code, verifier }
    const { email, password } = { ...account, ...user }
    return this.#end(await this.post(path, { email, password, form }), verifier)
  }

  redeem({ code, verifier }: { code: string; verifier: string }): Promise<Response> {
    return this.requestToken({
      grant_type: 'authorization_code',
      code,
      code_verifier: verifier,
      redirect_uri: `${this.baseUrl}/`,
    })
  }

  refresh(token: string): Promise<Response> {
    return this.requestToken({ grant_type: 'refresh_token', refresh_token: token })
  }

  requestToken(fields: Readonly<Record<string, string>>): Promise<Response> {
    return this.#send(`${this.baseUrl}/oidc/token`, {
      method: 'POST',
      body: new URLSearchParams({ client_id: 'yonder', ...fields }),
    })
  }

  /** Signs in with a new account and returns the tokens. */
  async join(user: Partial<typeof account> = {}): Promise<Tokens> {
    return (await (await this.redeem(await this.signUp(user))).json()) as Tokens
  }

  async #end(response: Response, verifier: string): Promise<{ code: string; verifier: string }> {
    const { address, response: last } = await this.follow(response)
    const code = new URL(address).searchParams.get('code')
    if (code === null) throw new Error(`No code: ${address} ${await last.text()}`)
    return { code, verifier }
  }

  #keep(line: string): void {
    const [pair = '', ...attributes] = line.split(/; */)
    const [name = '', value = ''] = pair.split(/=(.*)/s)
    const path = attributes.find((attribute) => /^path=/i.test(attribute))?.slice(5) ?? '/'
    const key = `${name} ${path}`
    if (value === '' || attributes.some((attribute) => /expires=Thu, 01 Jan 1970/i.test(attribute))) {
      this.#cookies.delete(key)
    } else {
      this.#cookies.set(key, { value, path })
    }
  }
}
