# Completion of tierwall for fish: tierwall completion fish > ~/.config/fish/completions/tierwall.fish
# The program itself says what fits; this asks it, and tells fish.

function __tierwall_complete
    set -l words (commandline --tokenize --current-process --cut-at-cursor)
    # An opening quote is for the shell.
    set -l typed (commandline --current-token --cut-at-cursor | string replace --regex '^["\']' '')
    set -l lines ($words[1] __complete -- $words[2..] "$typed" 2>/dev/null)
    set -l directive (string replace ':' '' -- $lines[-1])
    if test (count $lines) -gt 1
        printf '%s\n' $lines[1..-2]
    else if test (math "bitand($directive, 4)") -eq 0
        # Behind the = of --option=file, paths are completed with what stands before it.
        set -l before (string match --regex -- '^--[^=]*=' $typed)
        __fish_complete_path (string replace -- "$before" '' "$typed") | string replace --regex '^' -- "$before"
    end
end

complete --command tierwall --no-files --arguments '(__tierwall_complete)'
