function _particlegvi_runs
    for folder in */ runs/*/
        test -f "$folder/manifest.json"; and string trim -r -c / -- $folder
    end
end
