import { init, killThreads, Z3_error_code, Z3_lbool } from "z3-solver";

/** z3, which is WebAssembly with threads of its own. They keep a process alive: call `end`. */
export class Z3 {
  static async start(): Promise<Z3> {
    return new Z3(await init());
  }

  private constructor(private readonly loaded: Awaited<ReturnType<typeof init>>) {}

  /**
   * For each of the Boolean constants, whether the assertions of the script can hold together with it. The script is parsed before
   * anything runs in another thread: z3's own evaluation of scripts reads the text when its memory has already been released.
   */
  async satisfiable(script: string, constants: readonly string[]): Promise<readonly boolean[]> {
    const { Z3: api } = this.loaded;
    const config = api.mk_config();
    const context = api.mk_context(config);
    api.del_config(config);
    try {
      const solver = api.mk_solver(context);
      api.solver_inc_ref(context, solver);
      api.solver_from_string(context, solver, script);
      const error = api.get_error_code(context);
      if (error !== Z3_error_code.Z3_OK)
        throw new Error(`z3: ${api.get_error_msg(context, error)}\n${script}`);
      const answers: boolean[] = [];
      for (const name of constants) {
        const symbol = api.mk_string_symbol(context, name);
        const constant = api.mk_const(context, symbol, api.mk_bool_sort(context));
        const answer = await api.solver_check_assumptions(context, solver, [constant]);
        if (answer === Z3_lbool.Z3_L_UNDEF) throw new Error(`z3 does not decide ${name}\n${script}`);
        answers.push(answer === Z3_lbool.Z3_L_TRUE);
      }
      api.solver_dec_ref(context, solver);
      return answers;
    } finally {
      api.del_context(context);
    }
  }

  end(): Promise<void> {
    return killThreads(this.loaded.em);
  }
}
